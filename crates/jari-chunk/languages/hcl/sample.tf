# A sample: what each kind of block becomes.

terraform {
  required_version = ">= 1.5"

  required_providers {
    aws = {
      source = "hashicorp/aws"
    }
  }
}

provider "aws" {
  region = var.region
}

variable "region" {
  type        = string
  description = "Where the pool lives."
  default     = "eu-north-1"
}

locals {
  limit = 3
  tags = merge(var.tags, {
    Name = "pool"
  })
}

# The newest image.
data "aws_ami" "linux" {
  most_recent = true
  owners      = ["amazon"]
  filter {
    name   = "name"
    values = ["al2023-*"]
  }
}

# A machine for connections.
#
# There are never more than three.
resource "aws_instance" "web" {
  count         = local.limit
  ami           = data.aws_ami.linux.id
  instance_type = "t3.micro"
  user_data     = file("${path.module}/init.sh")

  lifecycle {
    create_before_destroy = true
    prevent_destroy       = false
    ignore_changes        = [tags]
  }

  tags = {
    for key, value in local.tags : key => upper(value)
  }
}

module "network" {
  source = "./modules/network"
  cidr   = cidrsubnet("10.0.0.0/8", 8, 1)
}

output "addresses" {
  value = aws_instance.web[*].private_ip
}

moved {
  from = aws_instance.old
  to   = aws_instance.web
}
